"""A match as a conversation, for the frameworks in which language models are trained and evaluated."""

from parlour.harness.episode import Episode, ModelPrompt
from parlour.harness.replay import ReplayReport, play_again
from parlour.harness.setup import EpisodeSetup, policy
from parlour.harness.standing import REWARDS, EpisodeStanding, SeatStanding, standing

__all__ = [
    "REWARDS",
    "Episode",
    "EpisodeSetup",
    "EpisodeStanding",
    "ModelPrompt",
    "ReplayReport",
    "SeatStanding",
    "play_again",
    "policy",
    "standing",
]
