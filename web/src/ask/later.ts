import { Refusal } from './refusal'

// later has a question asked again when the server says so: what it asks for is being made, or waits for what others asked first.
export const later = {
  retry: (times: number, e: Error) => e instanceof Refusal && e.status === 503 && e.after > 0 && times < 10,
  retryDelay: (_: number, e: Error) => (e instanceof Refusal ? e.after : 0),
}
