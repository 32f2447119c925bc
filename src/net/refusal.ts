import { AppError } from '../domain/errors.ts'

/** Whether a node says that the code it ran failed, and not that it could not run it: code 3, or words of the machine. */
export function isRefusal({ code, details }: AppError): boolean {
  if (code !== 'RPC_ERROR') return false
  const said = details as { code?: unknown; message?: unknown }
  return (
    said.code === 3 ||
    /revert|opcode|out ?of ?gas|stack (under|over)|bad instruction|invalid jump|vm execution/i.test(
      String(said.message),
    )
  )
}

/** Whether a node says that it does not have the block that it was asked about: by the code of a missing resource (EIP-1474), or in the words of clients. */
export function isUnknownBlock(error: unknown): boolean {
  if (!(error instanceof AppError && error.code === 'RPC_ERROR')) return false
  const said = error.details as { code?: unknown; message?: unknown }
  return (
    said.code === -32001 ||
    /(header|block|hash).* (not|could not be) found|unknown block|block.?out.?of.?range/i.test(
      String(said.message),
    )
  )
}
