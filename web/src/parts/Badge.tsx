import { Sign } from './Sign'
import { toneOf, type Tone } from './state'
import { Tip } from './Tip'

// Badge shows a state as sign, word and colour.
export function Badge({ word, tone = toneOf(word), title }: { word: string; tone?: Tone; title?: string }) {
  return (
    <Tip text={title}>
      <span className={`badge ${tone}`}>
        <Sign tone={tone} />
        {word}
      </span>
    </Tip>
  )
}
