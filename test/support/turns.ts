/** Captured, so that turns still work in a test with fake timers. */
const nextTurn = globalThis.setImmediate

/** Lets promises and turns of the event loop pass: four are enough for time to move on twice by itself. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => nextTurn(resolve))
}
