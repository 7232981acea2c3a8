"""Fish for strangers over TCP: sign-up desk, wait-list, tournaments; the JSON protocol and the CS4500 course's."""
