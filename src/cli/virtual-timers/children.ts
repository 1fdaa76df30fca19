import childProcess, { ChildProcess } from 'node:child_process'
import { isMainThread, type Worker } from 'node:worker_threads'

/** The running processes and threads that this process has started. */
export class StartedProcesses {
  readonly #children = new Map<ChildProcess, boolean>()
  readonly #threads = new Map<Worker, number>()

  /**
   * @param onEvent called when a process or thread begins or ends.
   * @param onBlock called before this process blocks its event loop to wait for another.
   */
  constructor(onEvent: () => void, onBlock: () => void) {
    this.#watchSpawn(onEvent)
    watchSyncSpawn(onBlock)
    process.on('worker', (worker) => {
      this.#threads.set(worker, worker.threadId)
      worker.once('exit', () => {
        this.#threads.delete(worker)
        onEvent()
      })
      onEvent()
    })
  }

  #watchSpawn(onEvent: () => void): void {
    const children = this.#children
    const { prototype } = ChildProcess as unknown as { prototype: Record<string, unknown> }
    const spawn = prototype['spawn'] as (this: ChildProcess, options: object) => unknown
    prototype['spawn'] = function (this: ChildProcess, options: object) {
      const result = spawn.call(this, options)
      if (this.pid !== undefined) {
        children.set(this, true)
        this.once('exit', () => {
          children.delete(this)
          onEvent()
        })
        onEvent()
      }
      return result
    }
    for (const [name, isReferenced] of [
      ['ref', true],
      ['unref', false],
    ] as const) {
      const native = prototype[name] as (this: ChildProcess) => unknown
      prototype[name] = function (this: ChildProcess) {
        if (children.has(this)) children.set(this, isReferenced)
        return native.call(this)
      }
    }
  }

  /** The ids of the processes that this one waits for, without those that may outlive it. */
  get children(): number[] {
    return [...this.#children].filter(([, isReferenced]) => isReferenced).map(([{ pid }]) => pid!)
  }

  /** The ids of the threads, if any of them keeps this process alive. */
  threads(active: readonly string[]): number[] {
    return isMainThread && active.includes('MessagePort') ? [...this.#threads.values()] : []
  }
}

function watchSyncSpawn(onBlock: () => void): void {
  const functions = childProcess as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) {
    const native = functions[name]!
    functions[name] = (...args) => {
      onBlock()
      return native(...args)
    }
  }
}
