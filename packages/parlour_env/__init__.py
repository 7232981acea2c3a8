"""Diplomacy and Fish for OpenEnv: an observation is a prompt of one seat, an action is its answer."""

from parlour_env.client import ParlourEnv
from parlour_env.models import ParlourAction, ParlourObservation, ParlourState

__all__ = ["ParlourAction", "ParlourEnv", "ParlourObservation", "ParlourState"]
