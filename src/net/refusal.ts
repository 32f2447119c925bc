import type { AppError } from '../domain/errors.ts'

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
