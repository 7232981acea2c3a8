"""The websocket protocol of the `diplomacy` package: servers, clients, wires and a simulated world."""
