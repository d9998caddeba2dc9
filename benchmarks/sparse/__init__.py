"""Parts of the topic `lasso`: sparse tables, accuracy on them, excess risk, speed and memory, the picture."""
