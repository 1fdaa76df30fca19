import { anyObject } from '../../scenario/schema/json-values.ts'
import type { ControlCore } from '../core.ts'
import { nodeOnly, routesFor, type ControlRoute } from '../route.ts'

/** The OpenAPI document of the gateway and of the control API. */
export class OpenapiControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /**
   * The document. The code that creates it is loaded on the first call.
   * @param namespace the namespace whose paths it contains; by default, paths have none.
   * @throws {ControlError} 501 in a page.
   */
  async document(namespace?: string): Promise<unknown> {
    const { nodeParts, operations, apis } = this.#core
    if (!nodeParts) throw nodeOnly('OpenAPI documents')
    const createDocument = await nodeParts.openapi()
    return createDocument(operations, apis, namespace === undefined ? '/' : `/ns/${namespace}`)
  }
}

export const openapiRoutes: readonly ControlRoute<OpenapiControl>[] = [
  routesFor<OpenapiControl>()(
    'GET /openapi.json',
    'all operations of the gateway and all control calls, as an OpenAPI document',
    () => ({ answer: { json: anyObject } }),
    (openapi, { named }) => openapi.document(named),
  ),
]
