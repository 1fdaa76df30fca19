import crypto from 'node:crypto'
import zlib from 'node:zlib'

type Functions = Record<string, unknown>

/**
 * Counts work of Node's threads that Node does not list as active: compression, cryptography, and the compiler of
 * WebAssembly. The first `fetch` of a process uses that compiler after it has connected. Work of native add-ons is
 * invisible.
 * @param count called with 1 when work begins, and with -1 when it ends.
 */
export function watchThreads(count: (by: 1 | -1) => void): void {
  const base = Object.getPrototypeOf(zlib.Gunzip.prototype) as object
  const streams = ('_transform' in base ? base : Object.getPrototypeOf(base)) as Functions
  for (const name of ['_transform', '_flush']) countCallback(streams, name, count)
  const jobs = ['pbkdf2', 'scrypt', 'randomBytes', 'randomFill', 'hkdf', 'generateKeyPair', 'generateKey']
  for (const name of [...jobs, 'sign', 'verify', 'diffieHellman', 'checkPrime', 'generatePrime'])
    countCallback(crypto as unknown as Functions, name, count)
  const compilers = ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']
  countPromises(WebAssembly as unknown as Functions, compilers, count)
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Functions
  countPromises(subtle, Object.getOwnPropertyNames(subtle), count)
}

/** Counts work until its callback, the last argument, is called. Work without a callback ends in this turn. */
function countCallback(owner: Functions, name: string, count: (by: 1 | -1) => void): void {
  const native = owner[name]
  if (typeof native !== 'function') return
  owner[name] = function (this: unknown, ...args: unknown[]) {
    const last = args.at(-1)
    if (typeof last !== 'function') return native.apply(this, args) as unknown
    let isOver = false
    const over = (): void => {
      if (!isOver) count(-1)
      isOver = true
    }
    args[args.length - 1] = function (this: unknown, ...results: unknown[]) {
      over()
      return last.apply(this, results) as unknown
    }
    count(1)
    try {
      return native.apply(this, args) as unknown
    } catch (error) {
      over()
      throw error
    }
  }
}

function countPromises(owner: Functions, names: readonly string[], count: (by: 1 | -1) => void): void {
  for (const name of names) {
    const native = owner[name]
    if (typeof native !== 'function' || name === 'constructor') continue
    owner[name] = function (this: unknown, ...args: unknown[]) {
      const done = native.apply(this, args) as Promise<unknown>
      count(1)
      const over = (): void => count(-1)
      Promise.resolve(done).then(over, over)
      return done
    }
  }
}
