"""The published agents' world: 64-bit actions, observations, MILA names, state, runner."""

from parlour.deepmind.actions import (
    MAX_ACTION_INDEX,
    MAX_ACTIONS,
    MAX_LEGAL_ACTIONS,
    MAX_ORDERS,
    MAX_UNIT_LEGAL_ACTIONS,
    POSSIBLE_ACTIONS,
    action_breakdown,
    action_index,
    construct_action,
    expand_actions,
    shrink_actions,
)
from parlour.deepmind.mila import action_to_mila_action, action_to_mila_actions, mila_action_to_action
from parlour.deepmind.observation import NUM_SEASONS, PROVINCE_VECTOR_LENGTH, Observation, observe, observe_into
from parlour.deepmind.options import Options
from parlour.deepmind.policies import FixedPlayPolicy, Policy, RandomPolicy
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

__all__ = [
    "MAX_ACTIONS",
    "MAX_ACTION_INDEX",
    "MAX_LEGAL_ACTIONS",
    "MAX_ORDERS",
    "MAX_UNIT_LEGAL_ACTIONS",
    "NUM_AREAS",
    "NUM_POWERS",
    "NUM_PROVINCES",
    "NUM_SEASONS",
    "NUM_SUPPLY_CENTERS",
    "POSSIBLE_ACTIONS",
    "PROVINCE_VECTOR_LENGTH",
    "DiplomacyState",
    "FixedPlayPolicy",
    "MapMDF",
    "Observation",
    "Options",
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
    "construct_action",
    "expand_actions",
    "human_readable_action",
    "mila_action_to_action",
    "observe",
    "observe_into",
    "province_adjacency",
    "province_name_to_id",
    "run_game",
    "save_trajectory",
    "shrink_actions",
]
