import { createRequire } from 'node:module'
import { isMainThread, Worker } from 'node:worker_threads'

/** How long code of a user may keep the processor busy. */
const maxBusyMs = 5_000

let endCode: number | undefined

/**
 * Lets the process end with this code when code of a user blocks it. Only programs of greenroom call it: a process of a user is
 * not ours to end.
 */
export function endWhenBlocked(exitCode: number): void {
  endCode = exitCode
}

/** Code of a user: the file, and the message if it never ends. */
interface WatchedCode {
  readonly file: string
  readonly message: string
}

/**
 * The program of the watching thread. It measures processor time, because on a busy machine any code may take long. The
 * inspector finds the line of the code, and ends the process although the main thread is blocked. Without an inspector,
 * SIGKILL ends it.
 */
const program = `
const { writeSync } = require('node:fs')
const timers = require('node:timers')
const { fileURLToPath } = require('node:url')
const { parentPort, workerData: { state, limitMs, exitCode, isMain } } = require('node:worker_threads')
const codes = new Map()
parentPort.on('message', ({ id, code }) => codes.set(id, code))
const usedMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let [turn, endMs] = [-1, 0]
const timer = timers.setInterval(() => {
  const current = Atomics.load(state, 0)
  const id = Atomics.load(state, 1)
  if (id === 0 || current !== turn) [turn, endMs] = [current, usedMs() + limitMs]
  else if (usedMs() >= endMs) {
    timers.clearInterval(timer)
    end(codes.get(id))
  }
}, 250)
const end = ({ file, message }) => {
  const kill = () => process.kill(process.pid, 'SIGKILL')
  const say = (line = '') => {
    if (message !== undefined) writeSync(2, 'error: ' + file + line + ': ' + message + '\\n')
    message = undefined
  }
  timers.setTimeout(kill, 4000)
  try {
    const session = new (require('node:inspector').Session)()
    session.connectToMainThread()
    // Node would say that it waits for a debugger.
    const silence = 'process.getBuiltinModule("node:fs").closeSync(2)'
    const expression =
      'process.emit("exit", ' + exitCode + '), ' + silence + ', process.reallyExit(' + exitCode + ')'
    const exit = () => {
      say()
      session.post('Runtime.evaluate', { expression })
    }
    if (!isMain) return exit()
    const scripts = new Set()
    session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
      if ((url.startsWith('file:') ? fileURLToPath(url) : url) === file) scripts.add(scriptId)
    })
    session.on('Debugger.paused', ({ params: { callFrames } }) => {
      const own = callFrames.find(({ location: { scriptId } }) => scripts.has(scriptId))
      say(own && ':' + (own.location.lineNumber + 1))
      session.post('Debugger.evaluateOnCallFrame', { callFrameId: callFrames[0].callFrameId, expression })
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    timers.setTimeout(exit, 2000)
  } catch {
    say()
    kill()
  }
}`

/** The thread, with what it reads: the number of changes, and the code that runs; 0 for none. */
interface Watch {
  readonly thread: Worker
  readonly state: Int32Array
}

let watch: Watch | undefined
const ids = new Map<string, number>()

function startWatch(exitCode: number): Watch {
  const state = new Int32Array(new SharedArrayBuffer(8))
  const workerData = { state, limitMs: maxBusyMs, exitCode, isMain: isMainThread }
  const thread = new Worker(program, { eval: true, execArgv: [], workerData })
  thread.unref()
  return { thread, state }
}

/** Whether code of a user is watched in this process. */
export function watchesCode(): boolean {
  return endCode !== undefined && !isDebugged()
}

/**
 * Notes that code of a user begins, which may block the event loop without an end.
 *
 * @param key names the code.
 * @param describe is called for the first time that it begins.
 * @returns the code that ran before, for {@link leaveCode}.
 */
export function enterCode(key: string, describe: () => WatchedCode): number {
  const { thread, state } = (watch ??= startWatch(endCode!))
  let id = ids.get(key)
  if (id === undefined) {
    ids.set(key, (id = ids.size + 1))
    thread.postMessage({ id, code: describe() })
  }
  const outer = Atomics.exchange(state, 1, id)
  Atomics.add(state, 0, 1)
  return outer
}

/** Notes that code of a user has returned. @param outer what {@link enterCode} returned. */
export function leaveCode(outer: number): void {
  Atomics.store(watch!.state, 1, outer)
  Atomics.add(watch!.state, 0, 1)
}

/** The end of a message about code that blocks. */
export const blocksText = `does not end within ${maxBusyMs / 1_000} s of processor time.`

/** Whether a debugger may be connected. Some builds of Node have none. */
function isDebugged(): boolean {
  if (!process.features.inspector) return false
  const { url } = createRequire(import.meta.url)('node:inspector') as typeof import('node:inspector')
  return url() !== undefined
}
