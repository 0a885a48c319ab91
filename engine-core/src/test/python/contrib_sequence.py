"""Cases of sequence com.microsoft operators."""


def cases(writer, rng):
    pass
