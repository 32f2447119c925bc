import { AppError, errorRow } from '../../domain/errors.ts'

/** A swap that brings too little, to whoever said himself what is enough: he is not told to say so. */
export const withTypedLeast = (error: unknown, { acceptMinOut }: { acceptMinOut?: string }): unknown =>
  acceptMinOut !== undefined &&
  error instanceof AppError &&
  error.code === 'POLICY_MIN_OUT' &&
  error.hint === errorRow(error.code).hint
    ? new AppError(error.code, error.message, {
        cause: error,
        ...(error.details && { details: error.details }),
        hint: `It brings less than the ${acceptMinOut} of --accept-min-out: name less there, or ask again when it brings more.`,
      })
    : error
