"""The negotiation language: reader, writer, English gloss, proposals, pact ledger."""
