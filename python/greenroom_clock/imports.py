"""Patches modules when the program imports them, because most programs need few of them."""
import sys


class AfterImport:
    """A finder of modules that lets the others find, and calls a function with the module when it has loaded."""

    def __init__(self, patches):
        self.patches = patches

    def find_spec(self, name, path=None, target=None):
        patch = self.patches.pop(name, None)
        if patch is None:
            return None
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    break
        else:
            self.patches[name] = patch
            return None
        if spec.loader is not None:
            spec.loader = Loader(spec.loader, patch)
        return spec


class Loader:
    """Loads a module as its own loader does, and patches it."""

    def __init__(self, loader, patch):
        self.loader, self.patch = loader, patch

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.patch(module)


def patch_after_import(patches):
    """@param patches: functions by the name of the module. Those that are loaded already are patched at once."""
    for name in list(patches):
        if name in sys.modules:
            patches.pop(name)(sys.modules[name])
    sys.meta_path.insert(0, AfterImport(patches))
