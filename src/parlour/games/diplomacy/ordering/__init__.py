"""Orders: as values, as text in many spellings, as integer actions; legality and the reasons for void ones."""
