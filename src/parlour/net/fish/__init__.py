"""Fish for strangers over TCP: sign-up desk, wait-list, tournaments; the seed's JSON protocol and the course's."""
