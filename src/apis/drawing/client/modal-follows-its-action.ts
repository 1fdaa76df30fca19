import { BoundedMap } from '../../../engine/bounded-map.ts'
import { Findings, maxTracked, type InvariantDefinition } from '../../define/invariant.ts'

const poll = 'mj.fetch'

/** A client that polls a task with an open dialog this often is waiting for it. */
const waitingPolls = 3

interface Dialog {
  readonly id: string
  readonly polls: number[]
  isAnswered: boolean
}

/** A client that leaves a dialog open and stops polling has closed it. */
export const modalFollowsItsAction: InvariantDefinition = {
  name: 'modal-follows-its-action',
  means: 'A client answers the dialogs that its actions open, and no others.',
  advice: 'Answer each dialog that an action opens, once.',
  needs: 'dialog was opened',
  isMendable: true,
  watch: ({ tasks }) => {
    const findings = new Findings()
    const dialogs = new BoundedMap<Dialog>(maxTracked)

    const openDialog = (id: string): Dialog => {
      const known = dialogs.get(id)
      if (known) return known
      const dialog: Dialog = { id, polls: [], isAnswered: false }
      dialogs.set(id, dialog)
      findings.exercised++
      return dialog
    }

    return {
      admitted: (entry) => {
        const { number, operation, reportedStatus, status, rules } = entry
        const id = entry.task ?? entry.parent
        if (operation === poll && reportedStatus === 'MODAL' && id !== null) {
          const { polls } = openDialog(id)
          if (polls.length < waitingPolls) polls.push(number)
        }
        if (operation !== 'mj.modal') return
        if (id === null) {
          if (status !== 400 || rules.length > 0) return
          findings.addViolation(
            [number],
            'A dialog was answered that no action opened: there is no such task.',
          )
          return
        }
        const endKnownBy = tasks.find(id)?.endKnownBy.get(poll)
        if (endKnownBy !== undefined && !dialogs.get(id)?.isAnswered) {
          const message = `A dialog of task ${id} was answered after #${endKnownBy} reported its end.`
          findings.addViolation([endKnownBy, number], message)
        }
        openDialog(id).isAnswered = true
      },
      findings: () =>
        findings.with(
          [...dialogs.values()]
            .filter(({ polls, isAnswered }) => polls.length >= waitingPolls && !isAnswered)
            .map(({ id, polls }) => ({
              requests: polls,
              message: `Task ${id} was polled again and again, but its dialog was never answered.`,
            })),
        ),
    }
  },
}
