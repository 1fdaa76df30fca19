import { createJiti } from 'jiti'

const jiti = createJiti(import.meta.url, { fsCache: false })

/**
 * Imports a part of src as it stands, without a build: what is built is bundled, and has no such parts.
 * @param {string} path below src, such as `pictures/places/scene.ts`
 * @param {string | URL} [folder] another src
 * @returns {Promise<any>}
 */
export function fromSource(path, folder = new URL('../src/', import.meta.url)) {
  return jiti.import(new URL(path, folder).href)
}
