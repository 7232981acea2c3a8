"""Language models at the table: any endpoint that speaks the chat protocol of OpenAI, in either game."""
