import { AppError } from '../../domain/errors.ts'
import { operationId } from '../../domain/operation-id.ts'
import { shellOperand } from '../../domain/shell.ts'
import { plain } from '../../domain/text.ts'
import type { Planned } from '../../wallet/execution/carry-out.ts'

/** Refuses an operation that its service calls by what no command can name. */
export function refuseName(id: string): void {
  if (operationId.test(id)) return
  const shown = plain(id)
  throw new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service calls the operation "${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}", which is no name: one has 1 to 128 letters, digits and . _ : -, and begins with a letter or a digit`,
    { details: { at: ['id'] } },
  )
}

/** Says that a service calls an operation by the key of another one: two would answer to one name. */
export const namedTwice = (id: string, { id: other }: Pick<Planned, 'id'>): AppError =>
  new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service calls the operation ${id}, which is the key of ${other}`,
    {
      details: { at: ['id'], operation: other },
      hint: `sluice action show ${shellOperand(other)}`,
    },
  )
