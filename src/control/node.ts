import type { NodeParts } from './deps.ts'

/** Loads the parts of the control API that pages do without. */
export const nodeParts: NodeParts = {
  metrics: async (deps) => (await import('./metrics/registry.ts')).createRegistry(deps),
  openapi: async () => (await import('./openapi/document.ts')).createDocument,
}
