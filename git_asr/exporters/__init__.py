"""Sessions in the formats of others: ``base`` says what each offers, ``registry`` lists them, each has one file."""
