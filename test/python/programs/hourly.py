"""Lists the models twice, an hour apart. It knows nothing of greenroom."""
import os
import time
from urllib.request import Request, urlopen

url, key = os.environ["GREENROOM_URL"], os.environ.get("GREENROOM_KEY", "sk-test")


def list_models():
    with urlopen(Request(f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"}), timeout=30) as response:
        return response.read()


start = time.time()
first = list_models()
time.sleep(3600)
print("the same models" if list_models() == first else "other models", f"after {time.time() - start:.3f} s")
