import { AppError } from '../../domain/errors.ts'

/** Work on a chain that may be rearranged meanwhile: then it is done anew, a few times. */
export async function steadily<value>(work: () => Promise<value>): Promise<value> {
  for (let tried = 1; ; tried++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'RPC_INCONSISTENT') || tried === 3) throw error
    }
}
