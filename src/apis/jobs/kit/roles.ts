import type { Role } from '../../../engine/operations/facts.ts'
import type { ApiOperation } from './definition.ts'

/** The role of an operation in a definition. */
type JobRole = ApiOperation['role']

/** The roles of operations in the words of rules. Only a `call` says its own. */
const rolesOfRules = {
  submit: 'submit',
  confirm: 'change',
  poll: 'poll',
  result: 'result',
  cancel: 'cancel',
  remove: 'cancel',
  list: 'list',
  pages: 'list',
  download: 'download',
  call: undefined,
} as const satisfies Readonly<Record<JobRole, Role | undefined>>

/** All roles, for messages: `submit({ … })`. */
export const jobRoles = Object.keys(rolesOfRules) as readonly JobRole[]

/** The role of an operation for rules, exploration and the journal. */
export function roleOf(operation: ApiOperation): Role {
  if (operation.role !== 'call') return rolesOfRules[operation.role]
  return operation.does ?? (/^(?:GET|HEAD) /.test(operation.route) ? 'read' : 'change')
}

/** Whether an operation makes a job, or continues a waiting one. */
export function isSubmission(
  operation: ApiOperation,
): operation is Extract<ApiOperation, { role: 'submit' | 'confirm' }> {
  return operation.role === 'submit' || operation.role === 'confirm'
}

/** An operation about jobs that exist. */
type AboutJob = Extract<ApiOperation, { role: 'poll' | 'result' | 'cancel' | 'remove' | 'download' }>

/** Whether an operation is about jobs that its request names. */
export function isAboutJob(operation: ApiOperation): operation is AboutJob {
  return !isSubmission(operation) && !['list', 'pages', 'call'].includes(operation.role)
}
