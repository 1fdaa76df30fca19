import type { ClipSpec } from '../spec.ts'

/**
 * What a scene is drawn from: the prompt; or, for a picture that is not there, what is known of it. An address
 * is only ever text to us.
 */
export function sceneText(spec: ClipSpec): string {
  if (!spec.image || 'picture' in spec.image) return spec.prompt
  return 'url' in spec.image ? spec.image.url : `${spec.prompt} ${spec.image.digest}`
}
