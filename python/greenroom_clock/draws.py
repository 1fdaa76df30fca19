"""Random numbers come from the seed of the simulator, so jitter is the same in each run."""


def patch_random(module, hub, seed):
    """Seeds each generator that the program leaves without a seed. `os.urandom`, `secrets` and `uuid` stay random."""
    real, count = module.Random.seed, [0]

    def seeded(self, a=None, *rest, **named):
        if a is None and not rest and not named:
            a = f"{seed} {hub.name} {hub.forks} {count[0]}"
            count[0] += 1
        return real(self, a, *rest, **named)

    module.Random.seed = seeded
    instance = getattr(module, "_inst", None)
    if instance is not None:
        instance.seed()
        module.seed = instance.seed
