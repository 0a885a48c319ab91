"""Cases of attention com.microsoft operators."""


def cases(writer, rng):
    pass
