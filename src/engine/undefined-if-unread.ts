import { isNodeError } from '../chain/rpc/errors.ts'
import { AppError } from '../domain/errors.ts'

/** The result of a read, or `undefined` if the node refuses it: nodes without old states use different error messages. */
export const undefinedIfRefused = <value>(work: Promise<value>): Promise<value | undefined> =>
  work.catch((error: unknown) => {
    if (isNodeError(error)) return undefined
    throw error
  })

/** Whether logs or old states were not read: the node refused, lags behind, or has too many blocks for one reading. */
export const isUnread = (error: unknown): boolean =>
  isNodeError(error) ||
  (error instanceof AppError && ['RPC_INCONSISTENT', 'HISTORY_UNREAD'].includes(error.code))

/** The result of reading logs or old states, or `undefined` if they are unread. */
export const undefinedIfUnread = <value>(work: Promise<value>): Promise<value | undefined> =>
  work.catch((error: unknown) => {
    if (isUnread(error)) return undefined
    throw error
  })
