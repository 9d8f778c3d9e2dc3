import { Sign } from './Sign'
import { toneOf, type Tone } from './state'

// Badge shows a state as sign, word and colour.
export function Badge({ word, tone = toneOf(word), title }: { word: string; tone?: Tone; title?: string }) {
  return (
    <span className={`badge ${tone}`} title={title}>
      <Sign tone={tone} />
      {word}
    </span>
  )
}
