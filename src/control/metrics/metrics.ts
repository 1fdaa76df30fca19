import type { ControlDeps, MetricsRegistry } from '../deps.ts'
import { nodeOnly, TextAnswer, routesFor, type ControlRoute } from '../route.ts'

/** Metrics of the whole simulator, in the text format of Prometheus. */
export class MetricsControl {
  readonly #deps: ControlDeps
  #registry: Promise<MetricsRegistry> | undefined

  constructor(deps: ControlDeps) {
    this.#deps = deps
  }

  /**
   * The present metrics. The library that formats them is loaded on the first call.
   * @throws {ControlError} 501 in a page.
   */
  async read(): Promise<{ readonly text: string; readonly contentType: string }> {
    const { nodeParts } = this.#deps
    if (!nodeParts) throw nodeOnly('Metrics')
    this.#registry ??= nodeParts.metrics(this.#deps)
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
      return new TextAnswer(text, { 'Content-Type': contentType })
    },
  ),
]
