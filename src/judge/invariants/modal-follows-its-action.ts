import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'

/** Who looks so often at a task that waits for a dialog is waiting for it. */
const looksThatWait = 3

interface Dialog {
  readonly id: string
  readonly shown: number[]
  answered: boolean
}

/** Whoever lets a dialog be, and asks no more about its task, has closed it. */
export const modalFollowsItsAction: InvariantDefinition = {
  name: 'modal-follows-its-action',
  means: 'A dialog that an action opened is answered, and no other (§4.6).',
  needs: 'dialog was opened',
  watch: ({ tasks }) => {
    const findings = new Findings()
    const dialogs = new Memory<Dialog>()

    const dialogOf = (id: string): Dialog => {
      const known = dialogs.get(id)
      if (known) return known
      const dialog: Dialog = { id, shown: [], answered: false }
      dialogs.set(id, dialog)
      findings.exercised++
      return dialog
    }

    const violations = (): Violation[] =>
      [...dialogs.values()]
        .filter(({ shown, answered }) => shown.length >= looksThatWait && !answered)
        .map(({ id, shown }) => ({
          requests: shown,
          message: `Task ${id} was polled on and on while its dialog waited for an answer that never came.`,
        }))

    return {
      admitted: (entry) => {
        const { number, operation, shown, status, rules } = entry
        const id = entry.task ?? entry.parent
        if (operation === 'mj.fetch' && shown === 'MODAL' && id !== null) {
          const dialog = dialogOf(id)
          if (dialog.shown.length < looksThatWait) dialog.shown.push(number)
        }
        if (operation === 'mj.cancel' && id !== null && dialogs.get(id)) dialogOf(id).answered = true
        if (operation !== 'mj.modal') return
        if (id === null) {
          if (status !== 400 || rules.length > 0) return
          findings.violated(
            [number],
            'A dialog was answered that no action had opened: there is no such task.',
          )
          return
        }
        const told = tasks.find(id)?.told.get('mj.fetch')
        if (told !== undefined && !dialogs.get(id)?.answered) {
          findings.violated(
            [told, number],
            `A dialog of task ${id} was answered after #${told} had told its end.`,
          )
        }
        dialogOf(id).answered = true
      },
      findings: () => findings.with(violations()),
    }
  },
}
