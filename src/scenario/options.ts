import { recognizeCopies } from '../engine/shared-error.ts'

/**
 * Settings that contradict themselves. The message names the key and the values that are valid.
 *
 * @example
 * const models = [{ name: 'video-1', sizes: ['99999x50'] }]
 * createSimulator({ models }) // throws SettingsError: a size of model video-1 is "99999x50". Use WIDTHxHEIGHT …
 */
export class SettingsError extends Error {
  static {
    recognizeCopies(this, 'SettingsError')
  }

  override name = 'SettingsError'
  /** The file that defines an API which can't be served. */
  readonly file: string | undefined

  constructor(message: string, { file }: { readonly file?: string | undefined } = {}) {
    super(message)
    this.file = file
  }
}
