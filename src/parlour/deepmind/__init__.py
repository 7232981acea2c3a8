"""The environment of the published agents: 64-bit actions, observations, MILA names, state, runner, network."""

from parlour.deepmind.actions import (
    BUILD_ARMY,
    BUILD_FLEET,
    CONVOY,
    CONVOY_TO,
    DISBAND,
    HOLD,
    MAX_ACTION_INDEX,
    MAX_ACTIONS,
    MAX_LEGAL_ACTIONS,
    MAX_ORDERS,
    MAX_UNIT_LEGAL_ACTIONS,
    MOVE_TO,
    POSSIBLE_ACTIONS,
    REMOVE,
    RETREAT_TO,
    SUPPORT_HOLD,
    SUPPORT_MOVE_TO,
    WAIVE,
    action_breakdown,
    action_index,
    bits_between,
    construct_action,
    expand_actions,
    shrink_actions,
)
from parlour.deepmind.mila import (
    action_to_mila_action,
    action_to_mila_actions,
    mila_action_to_action,
    mila_action_to_possible_actions,
)
from parlour.deepmind.network.config import PUBLISHED, NetworkConfig
from parlour.deepmind.network.network import Network
from parlour.deepmind.network.parameters import Parameters, read_parameters, write_parameters
from parlour.deepmind.network.policy import Policy, load_network
from parlour.deepmind.observation import NUM_SEASONS, PROVINCE_VECTOR_LENGTH, Observation, observe, observe_into
from parlour.deepmind.options import Options
from parlour.deepmind.policies import AnyPolicy, FixedPlayPolicy, RandomPolicy
from parlour.deepmind.provinces import (
    NUM_AREAS,
    NUM_POWERS,
    NUM_PROVINCES,
    NUM_SUPPLY_CENTERS,
    MapMDF,
    area_adjacency,
    province_adjacency,
    province_name_to_id,
)
from parlour.deepmind.readable import human_readable_action
from parlour.deepmind.runner import run_game
from parlour.deepmind.season import Season
from parlour.deepmind.state import DiplomacyState, State
from parlour.deepmind.trajectory import Trajectory, save_trajectory
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer

__all__ = [
    "BUILD_ARMY",
    "BUILD_FLEET",
    "CONVOY",
    "CONVOY_TO",
    "DISBAND",
    "HOLD",
    "MAX_ACTIONS",
    "MAX_ACTION_INDEX",
    "MAX_LEGAL_ACTIONS",
    "MAX_ORDERS",
    "MAX_UNIT_LEGAL_ACTIONS",
    "MOVE_TO",
    "NUM_AREAS",
    "NUM_POWERS",
    "NUM_PROVINCES",
    "NUM_SEASONS",
    "NUM_SUPPLY_CENTERS",
    "POSSIBLE_ACTIONS",
    "PROVINCE_VECTOR_LENGTH",
    "PUBLISHED",
    "REMOVE",
    "RETREAT_TO",
    "SUPPORT_HOLD",
    "SUPPORT_MOVE_TO",
    "WAIVE",
    "AnyPolicy",
    "DiplomacyState",
    "FixedPlayPolicy",
    "MapMDF",
    "Network",
    "NetworkConfig",
    "NetworkInput",
    "Observation",
    "ObservationTransformer",
    "Options",
    "Parameters",
    "Policy",
    "RandomPolicy",
    "Season",
    "State",
    "Trajectory",
    "action_breakdown",
    "action_index",
    "action_to_mila_action",
    "action_to_mila_actions",
    "area_adjacency",
    "bits_between",
    "construct_action",
    "expand_actions",
    "human_readable_action",
    "load_network",
    "mila_action_to_action",
    "mila_action_to_possible_actions",
    "observe",
    "observe_into",
    "province_adjacency",
    "province_name_to_id",
    "read_parameters",
    "run_game",
    "save_trajectory",
    "shrink_actions",
    "write_parameters",
]
