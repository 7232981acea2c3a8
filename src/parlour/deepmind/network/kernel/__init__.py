"""The hot part of the network: products of many small matrices, and the sums over neighbours that follow them."""
