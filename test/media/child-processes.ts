import { readFile } from 'node:fs/promises'

/** The ids of our own programs that this process has started and that run, by the name of their file; Linux tells them. */
export async function childProcesses(name: 'wasm-encoder' | 'frame-drawer'): Promise<string[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  const ids = children.split(' ').filter(Boolean)
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return ids.filter((_, index) => commands[index]?.includes(name))
}
