import { AppError } from '../domain/errors.ts'
import { operands } from './operands.ts'

/** That a signal ended the line, and what that means for what it did. */
export const interrupted = (argv: readonly string[], cause?: unknown): AppError =>
  new AppError(
    'INTERRUPTED',
    operands(argv).name === 'demo'
      ? 'Interrupted. What the demo did before is done, with the play money of the sandbox.'
      : 'Interrupted. This command signed nothing.',
    { cause },
  )
