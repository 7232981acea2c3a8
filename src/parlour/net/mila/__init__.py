"""The websocket protocol of the `diplomacy` package 1.1.2, and of its fork with comm_status and player types."""
