// Pages whose only script is that times are the reader's own.

import { localTimes } from "./local_times.js";

localTimes();
