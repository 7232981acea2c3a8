"""Fish for strangers over TCP: sign-up desk, wait-list, tournaments; the JSON protocol and the university course's."""
