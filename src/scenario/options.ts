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
}

/** Normalizes allowed hosts: a list or a mapping. */
export function allowedHosts(
  hosts: boolean | readonly string[] | { readonly allow: readonly string[] },
): boolean | { readonly allow: readonly string[] } {
  return Array.isArray(hosts)
    ? { allow: hosts as readonly string[] }
    : (hosts as boolean | { allow: readonly string[] })
}
