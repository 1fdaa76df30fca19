import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation } from '../define/operation.ts'

/**
 * What a key has spent, in cents. Money that is reserved for open tasks counts: the gateway takes it in advance. Dates in
 * the query are ignored, as there.
 * @assumed §8 usage is undocumented; the public code of the gateway, `controller/billing.go`.
 */
export const balanceUsage = defineOperation(
  {
    name: 'balance.usage',
    role: 'read',
    route: 'GET /v1/dashboard/billing/usage',
    aliases: ['/dashboard/billing/usage'],
  },
  () => ({
    respond: (x) => {
      const { spent, reserved } = x.account.usage(x.now)
      return jsonReply(200, { object: 'list', total_usage: Number(((spent + reserved) * 100).toFixed(4)) })
    },
  }),
)
