/** How much of a processor something took, in milliseconds: other programs on the machine don't count. */
export function spentMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Measures from now on; the result returns the processor time so far, in milliseconds. */
export function startProcessorTimer(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
