import type { NodeParts } from '../control/core.ts'

/** Loads parts that only Node has, each on first use. */
export const nodeParts: NodeParts = {
  openapi: async () => (await import('../control/openapi/document.ts')).createDocument,
}
