import { register } from 'node:module'

register('./load-typescript.js', import.meta.url)

/**
 * Imports a part of src as it stands, without a build: what is built is bundled, and has no such parts.
 * @param {string} path below src, such as `pictures/places/scene.ts`
 * @param {string | URL} [folder] another src
 * @returns {Promise<any>}
 */
export function fromSource(path, folder = new URL('../src/', import.meta.url)) {
  return import(new URL(path, folder).href)
}
