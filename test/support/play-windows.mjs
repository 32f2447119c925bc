// Preloaded into a program: the system then behaves as Windows does where the program can notice. Its own Node processes get it, too.
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const refusal = (call, path) =>
  Object.assign(new Error(`EPERM: operation not permitted, ${call} '${path}'`), {
    code: 'EPERM',
    syscall: call,
  })

// A handle of a directory cannot be flushed.
const { fsyncSync, renameSync, spawn, execFileSync } = { ...fs, ...childProcess }
fs.fsyncSync = (fd) => {
  if (fs.fstatSync(fd).isDirectory()) throw refusal('fsync', fd)
  fsyncSync(fd)
}
// A scanner has each new file open for a moment.
const refused = new Map()
fs.renameSync = (from, to) => {
  const times = refused.get(from) ?? 0
  refused.set(from, times + 1)
  if (times < 2) throw refusal('rename', from)
  renameSync(from, to)
}
// A drive with exFAT has no hard links.
fs.linkSync = (from) => {
  throw refusal('link', from)
}
// Modes say nothing, and there are no user ids.
for (const name of ['statSync', 'lstatSync', 'fstatSync']) {
  const real = fs[name]
  fs[name] = (...args) => {
    const found = real(...args)
    if (found) found.mode = typeof found.mode === 'bigint' ? found.mode | 0o666n : found.mode | 0o666
    return found
  }
}
os.userInfo = () => ({ homedir: process.env.USERPROFILE, username: 'user', uid: -1, gid: -1, shell: null })
process.getuid = undefined
Object.defineProperty(process, 'platform', { value: 'win32' })
if (process.env.PLAY_NODE_VERSION)
  Object.defineProperty(process, 'versions', {
    value: { ...process.versions, node: process.env.PLAY_NODE_VERSION },
  })

// Every signal ends a process at once.
const kill = process.kill.bind(process)
process.kill = (pid, signal) => kill(pid, signal === 0 ? 0 : 'SIGKILL')
const endAtOnce = childProcess.ChildProcess.prototype.kill
childProcess.ChildProcess.prototype.kill = function () {
  return endAtOnce.call(this, 'SIGKILL')
}

const log = process.env.PLAY_WINDOWS_LOG
childProcess.spawn = (program, args, options) => {
  if (program === '/bin/sh') throw new Error('There is no /bin/sh')
  if (log) fs.appendFileSync(log, `${JSON.stringify({ program, args, env: options.env })}\n`)
  const isNode = program === process.execPath
  return spawn(program, isNode ? ['--import', import.meta.url, ...args] : args, options)
}
childProcess.execFileSync = (program, args, options) => {
  if (program === 'ps' || program === 'env')
    throw Object.assign(new Error('spawnSync ps ENOENT'), { code: 'ENOENT' })
  return execFileSync(program, args, options)
}
syncBuiltinESMExports()
