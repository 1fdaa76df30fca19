import type { NodeParts } from '../control/core.ts'
import type { TracerParts } from './tracing/tracing.ts'

/** Loads parts that only Node has, each on first use. */
export const nodeParts: NodeParts & TracerParts = {
  metrics: async (core) => (await import('../control/metrics/registry.ts')).createRegistry(core),
  openapi: async () => (await import('../control/openapi/document.ts')).createDocument,
  tracer: async (tasks) => (await import('./tracing/request-tracer.ts')).createTracer(tasks),
}
