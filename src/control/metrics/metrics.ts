import type { ControlCore, MetricsRegistry } from '../core.ts'
import { nodeOnly, TextDocument, routesFor, type ControlRoute } from '../route.ts'

/** Metrics of the whole simulator, in the text format of Prometheus. */
export class MetricsControl {
  readonly #core: ControlCore
  #registry: Promise<MetricsRegistry> | undefined

  constructor(core: ControlCore) {
    this.#core = core
  }

  /**
   * The present metrics. The library that formats them is loaded on the first call.
   * @throws {ControlError} 501 in a page.
   */
  async read(): Promise<{ readonly text: string; readonly contentType: string }> {
    const { nodeParts } = this.#core
    if (!nodeParts) throw nodeOnly('Metrics')
    this.#registry ??= nodeParts.metrics(this.#core)
    const registry = await this.#registry
    return { text: await registry.metrics(), contentType: registry.contentType }
  }
}

export const metricsRoutes: readonly ControlRoute<MetricsControl>[] = [
  routesFor<MetricsControl>()(
    'GET /metrics',
    'figures about all namespaces, for Prometheus',
    () => ({ answer: { texts: ['text/plain'] } }),
    async (metrics) => {
      const { text, contentType } = await metrics.read()
      return new TextDocument(text, { 'Content-Type': contentType })
    },
  ),
]
